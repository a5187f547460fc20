import { isFinishedByTheNext } from "./interrupted.behaviour.ts";

// Every single write is soak's.
isFinishedByTheNext(7);
