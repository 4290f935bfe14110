"""What is computed from an image: SIFT, colour histograms, region covariances."""
