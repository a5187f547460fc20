// Command pulumi-kubernetes is the Kubernetes provider of Pulumi, built from its published module.
//
// The module's own command embeds files that its Makefile generates and that the module does not contain. The build puts the
// schema and the mapping of the module in this folder by `go build -overlay`.
package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

//go:embed schema.json
var schema []byte

//go:embed terraform-mapping.json
var mapping []byte

func main() {
	provider.Serve("kubernetes", version.Version, schema, mapping)
}
