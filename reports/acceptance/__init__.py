"""The acceptance sheet: what a cluster should reach before it is accepted, and whether it did."""
