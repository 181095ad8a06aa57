// Package hostile tests that a small file cannot make the command use much memory or time, whatever its
// header claims: compression bombs, deep nesting, huge counts and numbers, for every reader. The command runs
// as a process, so its peak memory, its processor time and its exit status are those that users see. The
// table in README.md lists, for each reader, what limits them.
package hostile
