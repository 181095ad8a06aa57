package serving

import (
	"context"
	"crypto/tls"
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
	server := s.httpServer()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.watch(watching)
	failed := make(chan error, 1)
	go func() { failed <- s.answer(server, l) }()
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

// answer answers connections until the server is shut down.
func (s *Server) answer(server *http.Server, l net.Listener) error {
	l = newLimited(l, s.config.MaxConnections)
	var err error
	if s.cert != nil {
		err = server.ServeTLS(l, "", "")
	} else {
		err = server.Serve(l)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// httpServer returns the server of HTTP/1.1 and HTTP/2, the latter also without TLS, for gRPC.
func (s *Server) httpServer() *http.Server {
	c := s.config
	server := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: c.Timeout, ReadTimeout: c.Timeout, WriteTimeout: 2 * c.Timeout,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 32 << 10, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		Protocols: new(http.Protocols),
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetHTTP2(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	if s.cert != nil {
		server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: s.cert.get}
	}
	return server
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
	open   chan struct{}
	closed chan struct{}
	once   sync.Once
}

func newLimited(l net.Listener, most int) *limited {
	return &limited{Listener: l, open: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept waits for the next connection.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.open <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.open
		return nil, err
	}
	return &counted{Conn: c, release: sync.OnceFunc(func() { <-l.open })}, nil
}

// Close ends listening.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
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
