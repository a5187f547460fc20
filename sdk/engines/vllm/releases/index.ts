import { releasesOf } from "../../options/release.ts";
import { release as v0_26_0 } from "./0.26.0.ts";
import { release as v0_27_1 } from "./0.27.1.ts";
import { release as v0_28_0 } from "./0.28.0.ts";
import { release as v0_29_0 } from "./0.29.0.ts";
import { release as v0_30_0 } from "./0.30.0.ts";
import { release as v0_31_0 } from "./0.31.0.ts";
import { release as v0_32_0 } from "./0.32.0.ts";
import { release as v0_33_0 } from "./0.33.0.ts";

/** The releases of vLLM from 0.26 on, the newest first. */
export const vllmReleases = releasesOf([
  v0_33_0,
  v0_32_0,
  v0_31_0,
  v0_30_0,
  v0_29_0,
  v0_28_0,
  v0_27_1,
  v0_26_0,
]);
