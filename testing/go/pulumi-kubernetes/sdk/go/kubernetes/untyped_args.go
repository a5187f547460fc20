// Package kubernetes is a STAND-IN for the package of the same path in the SDK.
package kubernetes

import "reflect"

// UntypedArgs is an object of any kind.
type UntypedArgs map[string]any

// ElementType makes UntypedArgs an input of a resource.
func (UntypedArgs) ElementType() reflect.Type {
	return reflect.TypeFor[map[string]any]()
}
