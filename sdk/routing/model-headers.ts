/**
 * Headers by which HTTPRoutes tell requests for models apart. A model router in front of the routes sets them, since an
 * HTTPRoute cannot read bodies (gateway-api-inference-extension, pkg/bbr).
 */
export const modelHeaders = {
  /** The model that a request asks for, or that was drawn for it from those of several pools. */
  model: "X-Gateway-Model-Name",
  /** The model by which a route tells the pool of that model. */
  baseModel: "X-Gateway-Base-Model-Name",
} as const;
