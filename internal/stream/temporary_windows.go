package stream

import "golang.org/x/sys/windows"

// removeOnClose makes the system remove a file when it is closed, even by the end of the process.
const removeOnClose = windows.FILE_FLAG_DELETE_ON_CLOSE
