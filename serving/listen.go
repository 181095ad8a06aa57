package serving

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
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
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.watch(watching)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(&limited{l, make(chan struct{}, s.config.MaxConnections)}) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.log.Info("ending", "requests_in_work", s.inFlight.Load(), "drain_seconds", s.config.Drain.Seconds())
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
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := s.Refresh(); err != nil {
			s.log.Error("folder of models not read; all models stay", "error", err.Error())
		}
	}
}

// limited is a listener that accepts a connection only while fewer than cap(open) are open.
type limited struct {
	net.Listener
	open chan struct{}
}

// Accept waits for the next connection.
func (l *limited) Accept() (net.Conn, error) {
	l.open <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.open
		return nil, err
	}
	return &counted{c, sync.OnceFunc(func() { <-l.open })}, nil
}

// counted is a connection that counts as open until it is closed.
type counted struct {
	net.Conn
	release func()
}

// Close closes the connection.
func (c *counted) Close() error {
	defer c.release()
	return c.Conn.Close()
}
