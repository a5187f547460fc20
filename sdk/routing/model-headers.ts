/**
 * Headers by which HTTPRoutes match the model of a request. An HTTPRoute cannot read bodies, so a model router in front
 * of the routes sets the headers (gateway-api-inference-extension, pkg/bbr).
 */
export const modelHeaders = {
  /** The requested model, or the target that was drawn for it from models of several pools. */
  model: "X-Gateway-Model-Name",
  /** The base model of the pool that serves the requested model. */
  baseModel: "X-Gateway-Base-Model-Name",
} as const;
