package cli

import "log/slog"

// Logger returns a logger of records with fields, for commands that run until they are ended: lines of
// key=value, or JSON objects. Its level follows verbosity; from 2 on it has every record.
func (c *Console) Logger() *slog.Logger {
	options := &slog.HandlerOptions{Level: c.level()}
	if c.json {
		return slog.New(slog.NewJSONHandler(c.w, options))
	}
	return slog.New(slog.NewTextHandler(c.w, options))
}

func (c *Console) level() slog.Level {
	switch {
	case c.verbosity < 0:
		return slog.LevelError
	case c.verbosity == 0:
		return slog.LevelWarn
	case c.verbosity == 1:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}
