/** Vision towers of models that read images. */

import { type Fields, fieldsOf } from "./config-fields.ts";

/**
 * Returns the parameters of a vision tower and of the projection into the language model, without norms; undefined for
 * a model without vision, or for a configuration whose sizes have other names.
 */
export function visionParameters(whole: Fields, hidden: number): number | undefined {
  const config = whole.object("vision_config");
  if (config === undefined) return undefined;
  const vision = fieldsOf(config);
  const width = vision.find("embed_dim") ?? vision.find("hidden_size", "vt_hidden_size", "width");
  const layers = vision.find("depth", "num_hidden_layers", "vt_num_hidden_layers", "layers");
  if (width === undefined || layers === undefined) return undefined;
  const inner =
    vision.find("intermediate_size", "vt_intermediate_size") ??
    width * (vision.find("mlp_ratio") ?? 4);
  const gated = vision.text("model_type")?.startsWith("qwen2_5_vl") === true;
  const patch = vision.find("patch_size") ?? 14;
  const patches =
    width * 3 * patch ** 2 * (vision.find("temporal_patch_size") ?? 1) +
    width * (vision.find("num_position_embeddings") ?? 0);
  const merged = width * (vision.find("spatial_merge_size") ?? 1) ** 2;
  const outputs = vision.find("out_hidden_size") ?? hidden;
  const mergers = 1 + (vision.list("deepstack_visual_indexes")?.length ?? 0);
  return (
    layers * (4 * width ** 2 + (gated ? 3 : 2) * width * inner) +
    patches +
    mergers * (merged ** 2 + merged * outputs)
  );
}
