"""What the kernel holds commands to: bubblewrap, or Landlock and seccomp."""
