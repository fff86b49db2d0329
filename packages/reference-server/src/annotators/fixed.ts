import type { AnnotationResponse, AnnotatorInfo } from '../types.js'
import { closed, expecting, reader, string } from '../validation/index.js'
import { type Annotator, outcome, signals } from './annotator.js'
import { annotateBy } from './conversation.js'

/** An annotator as data: its entry in the registry, and its answer to every transcript. */
export interface FixedAnswer
  extends Pick<AnnotatorInfo, 'id'>,
    Partial<Omit<AnnotatorInfo, 'id'>>,
    Pick<AnnotationResponse, 'outcome'>,
    Partial<Pick<AnnotationResponse, 'outcome_notes' | 'signals'>> {}

const filled = expecting('expected a text that is not empty', (value) => typeof value === 'string' && value !== '')
const fields = closed(
  { id: filled, outcome },
  { annotator_version: filled, taxonomy_version: filled, description: string, outcome_notes: string, signals },
)

/** Check an annotator from JSON. Throws an Error with a pointer to every problem. */
export const readFixedAnswer = reader<FixedAnswer>('annotator', fields)

/** An annotator whose outcome and signals are always the same. It makes the summary by rules. */
export function fixedAnnotator({ id, outcome, outcome_notes = '', signals = {}, ...info }: FixedAnswer): Annotator {
  return {
    annotator_version: '1.0.0',
    taxonomy_version: '1.0.0',
    description: `Answers ${outcome} to every transcript.`,
    ...info,
    id,
    annotate: ({ transcript }) => ({
      ...annotateBy(() => ({ signals: {}, outcome, notes: outcome_notes }), transcript),
      signals,
    }),
  }
}
