package models

import (
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// writeParts writes the output of all peers. Peer 0 writes its own part while the others write theirs to
// temporary files, and then appends their parts.
func writeParts(env *cli.Env, output string, write func(io.Writer) error) error {
	if env.Peers.Rank() > 0 {
		return sendPart(env, write)
	}
	return cli.WriteOutput(output, func(w io.Writer) error {
		if err := write(w); err != nil {
			return err
		}
		return env.Peers.CopyToFirst(w, nil, 0)
	})
}

// sendPart writes the part of a peer other than 0, and sends it to peer 0.
func sendPart(env *cli.Env, write func(io.Writer) error) error {
	g := env.Peers
	own, err := stream.Temporary("")
	if err != nil {
		return fmt.Errorf("a temporary file for the scores of peer %d (TMPDIR chooses its folder): %w", g.Rank(),
			err)
	}
	defer own.Close()
	if err := write(own); err != nil {
		return err
	}
	size, err := own.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	return g.CopyToFirst(nil, io.NewSectionReader(own, 0, size), size)
}
