import { createExactIndex } from '../../memory/exact.ts';
import { testVectorIndexContract } from '../contracts/vector-index.ts';

testVectorIndexContract('the exact index', (dimensions) => createExactIndex({ dimensions }));
