// Package repository loads the models of a folder, by name and version, and follows changes of the folder.
//
//	models/
//	    shop.txt                 the model "shop", version 1
//	    news/3/model.txt         the model "news", version 3
//	    news/4/model.txt.gz      version 4, which answers requests that name no version
//
// # Changes
//
// [Repository.Refresh] compares the folder with the loaded models. It reads new and changed files while the
// old models continue to answer, and then replaces all models together. Requests that hold an old model
// finish with it. If a file cannot be loaded, the old model of that name and version stays. When a file is
// deleted, its model is removed.
//
// To avoid half-written files, write a new file beside the old one and rename it. A file that changes while
// it is read is tried again at the next Refresh.
package repository

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/serving/internal/oip"
	"github.com/lambdamart/lambdamart/serving/internal/ranker"
)

// Version is a loaded model. It is immutable.
type Version struct {
	Name, Version string
	SHA256        string
	Loaded        time.Time
	Ranker        *ranker.Ranker
}

// Repository holds the models of a folder, or a single model. Any number of goroutines may use it.
type Repository struct {
	path    string
	options ranker.Options
	log     *slog.Logger

	refresh sync.Mutex // one at a time
	state   atomic.Pointer[state]

	loads, failures atomic.Uint64 // files that were loaded, or could not be
}

// state is the set of loaded models. It is immutable.
type state struct {
	files  map[string]*file      // by key
	models map[string][]*Version // by name, in ascending order of versions
}

// file is a file of the folder, with the result of loading it.
type file struct {
	place
	info    os.FileInfo // as of the last try; nil if it must be tried again
	version *Version    // nil if it never was loaded
	err     error       // of the last try
}

// Open returns the repository of a folder, or of a single file, with all models loaded. It fails if the
// folder cannot be read or no model can be loaded.
func Open(path string, o ranker.Options, log *slog.Logger) (*Repository, error) {
	r := &Repository{path: path, options: o, log: log}
	r.state.Store(new(state))
	if err := r.Refresh(); err != nil {
		return nil, err
	}
	s := r.state.Load()
	if len(s.models) > 0 {
		return r, nil
	}
	for _, key := range slices.Sorted(maps.Keys(s.files)) {
		return nil, fmt.Errorf("no model could be loaded: %w", s.files[key].err)
	}
	return nil, fmt.Errorf("%s: there is no model in this folder; put one there as NAME.txt or "+
		"NAME/VERSION/model.txt", path)
}

// Refresh loads new and changed files, and removes the models of deleted ones. If the folder cannot be read,
// it returns an error and changes nothing.
func (r *Repository) Refresh() error {
	r.refresh.Lock()
	defer r.refresh.Unlock()
	before := r.state.Load()
	places, err := find(r.path, before.has)
	if err != nil {
		return err
	}
	next := &state{files: make(map[string]*file, len(places))}
	for _, p := range places {
		f := r.follow(before.files[p.key], p)
		if !errors.Is(f.err, fs.ErrNotExist) { // otherwise it has gone since the folder was read
			next.files[p.key] = f
		}
	}
	for key, f := range before.files {
		if next.files[key] == nil {
			r.log.Info("model removed", "model", f.name, "version", f.number, "path", f.path)
		}
	}
	next.models = byName(next.files)
	r.compare(before, next)
	r.state.Store(next)
	return nil
}

// has reports whether a model is loaded from a file.
func (s *state) has(path string) bool {
	for _, f := range s.files {
		if f.path == path && f.version != nil {
			return true
		}
	}
	return false
}

// follow loads the file at a place. It returns before, the result of the previous check, if the file has not
// changed since then.
func (r *Repository) follow(before *file, p place) *file {
	f := &file{place: p, err: p.fault}
	if f.err == nil {
		f.info, f.err = os.Stat(p.path)
	}
	if before != nil {
		if f.err == nil && before.path == p.path && same(before.info, f.info) {
			return before
		}
		f.version = before.version
	}
	if f.err == nil {
		r.load(f)
	}
	again := before != nil && before.info == nil && f.info == nil && fmt.Sprint(before.err) == fmt.Sprint(f.err)
	if f.err != nil && !errors.Is(f.err, fs.ErrNotExist) && !again {
		r.failures.Add(1)
		r.log.Error("model not loaded", "model", f.name, "version", f.number, "path", f.path, "error",
			f.err.Error(), "former_model_stays", f.version != nil)
	}
	return f
}

// same reports whether a and b describe the same file, unchanged in between.
func same(a, b os.FileInfo) bool {
	return a != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// load reads and prepares the model of a file.
func (r *Repository) load(f *file) {
	start := time.Now()
	v, err := r.read(f.place)
	if err != nil {
		f.err = fmt.Errorf("%s: %w", f.path, err)
		if errors.Is(err, stream.ErrChanged) {
			f.info = nil
		}
		return
	}
	f.version = v
	r.loads.Add(1)
	r.log.Info("model loaded", "model", v.Name, "version", v.Version, "path", f.path, "sha256", v.SHA256,
		"features", len(v.Ranker.FeatureNames()), "seconds", time.Since(start).Seconds())
}

func (r *Repository) read(p place) (*Version, error) {
	v := &Version{Name: p.name, Version: p.number, Loaded: time.Now()}
	var m lambdamart.Model
	err := stream.ReadFile(p.path, func(in io.Reader, _ string) (err error) {
		hash := sha256.New()
		m, err = lambdamart.ReadModelFrom(io.TeeReader(in, hash))
		v.SHA256 = fmt.Sprintf("%x", hash.Sum(nil))
		return err
	})
	if err != nil {
		return nil, err
	}
	if v.Ranker, err = ranker.New(m, r.options); err != nil {
		return nil, err
	}
	if remark := scoring.RemarkOf(m); remark != "" {
		r.log.Warn(remark, "model", v.Name, "path", p.path)
	}
	return v, nil
}

// byName returns the loaded versions of each model, in ascending order.
func byName(files map[string]*file) map[string][]*Version {
	models := make(map[string][]*Version)
	for _, f := range files {
		if f.version != nil {
			models[f.name] = append(models[f.name], f.version)
		}
	}
	for _, versions := range models {
		slices.SortFunc(versions, func(a, b *Version) int { // by numbers without leading zeros
			return cmp.Or(cmp.Compare(len(a.Version), len(b.Version)), strings.Compare(a.Version, b.Version))
		})
	}
	return models
}

// compare warns about models whose newest version has other features than the previous one: clients that send
// features without names would get wrong scores.
func (r *Repository) compare(before, next *state) {
	for name, versions := range next.models {
		old := before.models[name]
		if old == nil {
			continue
		}
		was, is := old[len(old)-1], versions[len(versions)-1]
		if !slices.Equal(was.Ranker.FeatureNames(), is.Ranker.FeatureNames()) {
			r.log.Warn("the features of a model have changed; clients that send them without names must change too",
				"model", name, "before", was.Version, "now", is.Version)
		}
	}
}

// Find returns a version of a model, the newest one if version is empty.
func (r *Repository) Find(name, version string) (*Version, error) {
	models := r.state.Load().models
	versions := models[name]
	if versions == nil {
		return nil, oip.Errorf(http.StatusNotFound, "there is no model %q; did you mean %q?", name,
			wording.Nearest(name, slices.Sorted(maps.Keys(models))))
	}
	if version == "" {
		return versions[len(versions)-1], nil
	}
	for _, v := range versions {
		if v.Version == version {
			return v, nil
		}
	}
	return nil, oip.Errorf(http.StatusNotFound, "the model %q has no version %q; it has %s", name, version,
		strings.Join(r.Versions(name), ", "))
}

// Versions returns the versions of a model in ascending order.
func (r *Repository) Versions(name string) (all []string) {
	for _, v := range r.state.Load().models[name] {
		all = append(all, v.Version)
	}
	return all
}

// All returns the loaded versions.
func (r *Repository) All() (all []*Version) {
	for _, versions := range r.state.Load().models {
		all = append(all, versions...)
	}
	return all
}

// Loads returns how many files were loaded, and how many could not be, since Open.
func (r *Repository) Loads() (done, failed uint64) { return r.loads.Load(), r.failures.Load() }
