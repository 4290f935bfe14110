"""From conf/ to what a run consists of: configuration, jobs, places and command lines."""
