package repository

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/serving/internal/ranker"
)

// load reads and prepares the model of a file.
func (r *Repository) load(f *file) {
	start := time.Now()
	v, err := r.read(f.place)
	if err != nil {
		f.err, f.again = err, errors.Is(err, stream.ErrChanged)
		return
	}
	f.version = v
	r.loads.Add(1)
	r.log.Info("model loaded", "model", v.Name, "version", v.Version, "path", v.Path, "sha256", v.SHA256,
		"features", len(v.Ranker.FeatureNames()), "seconds", time.Since(start).Seconds())
}

func (r *Repository) read(p place) (*Version, error) {
	v := &Version{Name: p.name, Version: p.number, Path: p.path, Loaded: time.Now()}
	var m lambdamart.Model
	err := stream.ReadFile(p.path, func(in io.Reader, _ string) (err error) {
		hash := sha256.New()
		m, err = lambdamart.ReadModelFrom(io.TeeReader(in, hash))
		v.SHA256 = fmt.Sprintf("%x", hash.Sum(nil))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	if v.Ranker, err = ranker.New(m, r.options); err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	if remark := scoring.RemarkOf(m); remark != "" {
		r.log.Warn(remark, "model", v.Name, "path", v.Path)
	}
	return v, nil
}
