package serving

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// certificate is a TLS certificate that is read again when one of its files changes.
type certificate struct {
	certFile, keyFile string
	loaded            atomic.Pointer[tls.Certificate]

	refreshing sync.Mutex
	seen       [2]time.Time // when the files were modified, as of the last try
}

func newCertificate(certFile, keyFile string) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile}
	c.seen = c.modified()
	return c, c.load()
}

func (c *certificate) load() error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", c.certFile, c.keyFile, err)
	}
	c.loaded.Store(&pair)
	return nil
}

// modified returns the modification times of the files; zero if unknown.
func (c *certificate) modified() (times [2]time.Time) {
	for i, path := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(path); err == nil {
			times[i] = info.ModTime()
		}
	}
	return times
}

// refresh reads the files again if they have changed. If that fails, the old certificate is kept.
func (c *certificate) refresh(log *slog.Logger) {
	c.refreshing.Lock()
	defer c.refreshing.Unlock()
	now := c.modified()
	if now == c.seen {
		return
	}
	c.seen = now
	if err := c.load(); err != nil {
		log.Error("certificate not loaded; the former one stays", "error", err.Error())
		return
	}
	log.Info("certificate loaded", "path", c.certFile)
}

// get returns the certificate for a connection.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return c.loaded.Load(), nil
}
