"""What people said and are asked, on disk; the browser of this machine."""
