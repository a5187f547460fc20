// Package v4 is a STAND-IN for the package of the same path in the SDK. This build does not support the component Chart.
package v4

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// RepositoryOpts describes the repository of a chart.
type RepositoryOpts struct {
	CaFile   pulumi.AssetOrArchive `pulumi:"caFile"`
	CertFile pulumi.AssetOrArchive `pulumi:"certFile"`
	KeyFile  pulumi.AssetOrArchive `pulumi:"keyFile"`
	Password *string               `pulumi:"password"`
	Repo     *string               `pulumi:"repo"`
	Username *string               `pulumi:"username"`
}

// RepositoryOptsInput is an input of RepositoryOpts.
type RepositoryOptsInput interface{ pulumi.Input }

// PostRenderer is a command that edits the objects of a chart.
type PostRenderer struct {
	Args    []string `pulumi:"args"`
	Command string   `pulumi:"command"`
}

// PostRendererInput is an input of PostRenderer.
type PostRendererInput interface{ pulumi.Input }
