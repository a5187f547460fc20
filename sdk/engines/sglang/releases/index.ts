import { releasesOf } from "../../options/release.ts";
import { release as v0_5_18 } from "./0.5.18.ts";
import { release as v0_5_19 } from "./0.5.19.ts";
import { release as v0_5_20 } from "./0.5.20.ts";
import { release as v0_5_21 } from "./0.5.21.ts";
import { release as v0_5_22 } from "./0.5.22.ts";
import { release as v0_5_23 } from "./0.5.23.ts";

/** The releases of SGLang from 0.5.18 on, the newest first. */
export const sglangReleases = releasesOf([v0_5_23, v0_5_22, v0_5_21, v0_5_20, v0_5_19, v0_5_18]);
