package serving

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Serve answers the connections of l until ctx is canceled. Then health reports "not ready" for
// Config.Drain; afterwards the server stops listening, finishes the requests in progress, and returns nil. It
// returns an error if it cannot listen, or if requests do not finish within twice Config.Timeout. Serve
// closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s.handler, ReadTimeout: s.config.Timeout, WriteTimeout: 2 * s.config.Timeout,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		ConnState: limited(s.config.MaxConnections),
		ErrorLog:  slog.NewLogLogger(s.log.Handler(), slog.LevelError), // of panics
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.watch(watching)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.log.Info("ending", "requests_in_flight", s.inFlight.Load(), "drain_seconds", s.config.Drain.Seconds())
	time.Sleep(s.config.Drain)
	ending, cancel := context.WithTimeout(context.Background(), 2*s.config.Timeout)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		server.Close()
		return errors.New("some requests did not end in time, and were cut off")
	}
	s.log.Info("ended")
	return nil
}

// watch checks the folder of models regularly.
func (s *Server) watch(ctx context.Context) {
	if s.config.Reload == 0 {
		return
	}
	ticker := time.NewTicker(s.config.Reload)
	defer ticker.Stop()
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		text := ""
		if err := s.Refresh(); err != nil {
			text = err.Error()
		}
		if text != "" && text != last {
			s.log.Error("folder of models not read; all models stay", "error", text)
		}
		last = text
	}
}

// limited returns a hook of connections that keeps the server from accepting one while n are open.
func limited(n int) func(net.Conn, http.ConnState) {
	open := make(chan struct{}, n)
	return func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew: // the server waits for the hook before it accepts the next connection
			open <- struct{}{}
		case http.StateClosed:
			<-open
		}
	}
}
