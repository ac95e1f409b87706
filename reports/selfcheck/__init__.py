"""A PDF of this product read back: `render --check-pdf`. No validator has judged the files; these checks have."""
