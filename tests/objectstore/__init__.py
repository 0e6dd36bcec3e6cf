"""Tables in an object store: a real S3 server, real runs."""
