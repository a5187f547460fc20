package main

import (
	"context"
	"fmt"

	"github.com/blang/semver"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// alone loads no other package: the schema of this project refers to none.
type alone struct{}

func (alone) LoadPackage(name string, _ *semver.Version) (*schema.Package, error) {
	return nil, fmt.Errorf("the schema refers to the package %q; allowed: its own types", name)
}

func (l alone) LoadPackageV2(_ context.Context, other *schema.PackageDescriptor) (*schema.Package, error) {
	return l.LoadPackage(other.Name, nil)
}

func (l alone) LoadPackageReference(name string, _ *semver.Version) (schema.PackageReference, error) {
	_, err := l.LoadPackage(name, nil)
	return nil, err
}

func (l alone) LoadPackageReferenceV2(
	_ context.Context, other *schema.PackageDescriptor,
) (schema.PackageReference, error) {
	return l.LoadPackageReference(other.Name, nil)
}
