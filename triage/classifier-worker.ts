/** The thread that trains: it is held for as long as that takes, and ends with it. */
import { parentPort, workerData } from 'node:worker_threads';
import { fitClassifier, type TrainingSet } from './classifier-fit.ts';

parentPort?.postMessage(fitClassifier(workerData as TrainingSet));
