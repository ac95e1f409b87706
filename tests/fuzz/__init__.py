"""`make fuzz`: whatever is written in a file becomes a document or problems; no exception, no hang, no other file."""
