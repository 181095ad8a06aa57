"""`python -m lambdamart` is the command line."""

from ._binary import main

main()
