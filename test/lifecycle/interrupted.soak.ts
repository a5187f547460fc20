import { isFinishedByTheNext } from "./interrupted.behaviour.ts";

isFinishedByTheNext(1);
