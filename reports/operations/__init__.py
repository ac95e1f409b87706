"""What a run is started and watched with: the arguments of its framework, commands, and the figures to expect."""
