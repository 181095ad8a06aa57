// Package hostile tests that a small file cannot take much memory or time from the command, whatever it
// claims about itself: bombs, deep nesting, huge counts and numbers, for every reader. The command runs as
// a process, so that its largest memory, its processor time and its exit status are those of users. The
// table in README.md says for each reader what bounds it.
package hostile
