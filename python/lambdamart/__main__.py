"""`python -m lambdamart` runs the command line."""

from ._binary import main

main()
