import { servePack } from "../serve-pack.ts";

servePack("inference-supply-chain");
