// Package v2 is a STAND-IN for the package of the same path in the SDK.
package v2

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

type object struct{ pulumi.CustomResourceState }

// RegisterResource registers an object of a component under the token of its kind.
func RegisterResource(
	ctx *pulumi.Context, apiVersion, kind, name string, props pulumi.Input, opts ...pulumi.ResourceOption,
) (pulumi.CustomResource, error) {
	if !strings.Contains(apiVersion, "/") {
		apiVersion = "core/" + apiVersion
	}
	var registered object
	err := ctx.RegisterResource("kubernetes:"+apiVersion+":"+kind, name, props, &registered, opts...)
	return &registered, err
}
