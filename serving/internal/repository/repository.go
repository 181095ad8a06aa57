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
// finish with it. If a file cannot be loaded, the old model of that name and version stays, and the index
// lists the failure until the file changes. When a file is deleted, its model is removed.
//
// To avoid half-written files, write a new file beside the old one and rename it. A file that changes while
// it is read is tried again at the next Refresh.
package repository

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/serving/internal/oip"
	"github.com/lambdamart/lambdamart/serving/internal/ranker"
)

// Version is a loaded model. It is immutable.
type Version struct {
	Name, Version string
	Path, SHA256  string
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

	loads, failures atomic.Int64 // files that were loaded, or could not be
}

// state is the set of loaded models. It is immutable.
type state struct {
	files  map[string]*file      // by key
	models map[string][]*Version // by name, in ascending order of versions
}

// file is a file of the folder, with the result of loading it.
type file struct {
	place
	info    os.FileInfo
	version *Version // nil if it never was loaded
	err     error    // of the last try
	again   bool     // the error may be temporary
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
		f := r.follow(before.files[p.key()], p)
		if errors.Is(f.err, fs.ErrNotExist) {
			continue // it has gone since the folder was read
		}
		next.files[p.key()] = f
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
	info, err := os.Stat(p.path)
	if before != nil && before.place.same(p) && !before.again && err == nil && same(before.info, info) {
		return before
	}
	f := &file{place: p, info: info, err: err, again: err != nil}
	if before != nil {
		f.version = before.version
	}
	if f.err == nil {
		f.err = p.fault
	}
	if f.err == nil {
		r.load(f)
	}
	if f.err != nil && !errors.Is(f.err, fs.ErrNotExist) {
		r.failed(before, f)
	}
	return f
}

// failed counts a failure and logs it, unless the file failed in the same way at the last attempt.
func (r *Repository) failed(before, f *file) {
	if before != nil && before.err != nil && before.err.Error() == f.err.Error() && before.again {
		return
	}
	r.failures.Add(1)
	r.log.Error("model not loaded", "model", f.name, "version", f.number, "path", f.path, "error", f.err.Error(),
		"former_model_stays", f.version != nil)
}

// same reports whether a and b describe the same file, unchanged in between.
func same(a, b os.FileInfo) bool {
	return a != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
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
		slices.SortFunc(versions, func(a, b *Version) int { return compareNumbers(a.Version, b.Version) })
	}
	return models
}

// compareNumbers compares version numbers, which are digits without leading zeros.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
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
		if !was.Ranker.SameFeatures(is.Ranker) {
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
		known := slices.Sorted(maps.Keys(models))
		return nil, oip.Errorf(oip.CodeNotFound, "there is no model %q; did you mean %q?", name,
			wording.Nearest(name, known))
	}
	if version == "" {
		return versions[len(versions)-1], nil
	}
	for _, v := range versions {
		if v.Version == version {
			return v, nil
		}
	}
	return nil, oip.Errorf(oip.CodeNotFound, "the model %q has no version %q; it has %s", name, version,
		strings.Join(numbers(versions), ", "))
}

// Versions returns the versions of a model in ascending order.
func (r *Repository) Versions(name string) []string { return numbers(r.state.Load().models[name]) }

func numbers(versions []*Version) []string {
	all := make([]string, len(versions))
	for i, v := range versions {
		all[i] = v.Version
	}
	return all
}

// All returns the loaded versions, sorted by name and version.
func (r *Repository) All() []*Version {
	models := r.state.Load().models
	var all []*Version
	for _, name := range slices.Sorted(maps.Keys(models)) {
		all = append(all, models[name]...)
	}
	return all
}

// Loads returns how many files were loaded, and how many could not be, since Open.
func (r *Repository) Loads() (done, failed int64) { return r.loads.Load(), r.failures.Load() }

// Index returns all models, including those that cannot be loaded.
func (r *Repository) Index() []oip.IndexEntry {
	var all []oip.IndexEntry
	for _, f := range r.state.Load().files {
		e := oip.IndexEntry{Name: f.name, Version: f.number, State: "READY"}
		if f.version == nil {
			e.State = "UNAVAILABLE"
		}
		if f.err != nil {
			e.Reason = f.err.Error()
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b oip.IndexEntry) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), compareNumbers(a.Version, b.Version),
			strings.Compare(a.Reason, b.Reason))
	})
	return all
}
