// Command pulumi-kubernetes is the Kubernetes provider of Pulumi, built from its published module.
//
// The module's own command embeds files that its Makefile generates and that the module does not contain. The build puts the
// schema and the mapping of the module in this folder by `go build -overlay`.
package main

import (
	_ "embed"
	"io"
	"os"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

//go:embed schema.json
var schema []byte

//go:embed terraform-mapping.json
var mapping []byte

func main() {
	go exitWithEngine()
	provider.Serve("kubernetes", version.Version, schema, mapping)
}

// The CLI keeps the other end of stdin open until it ends, even if it is killed. The published provider polls the engine, which
// takes up to five minutes.
func exitWithEngine() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(1)
}
