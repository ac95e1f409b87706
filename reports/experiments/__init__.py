"""Tables of design points: sweep, optimize, scale, sensitivity, evaluated through the one engine."""
