import { servePack } from "../serve-pack.ts";

servePack("inference-multi-cluster");
