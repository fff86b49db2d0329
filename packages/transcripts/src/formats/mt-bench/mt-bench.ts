import {
  defineFormat,
  type Format,
  type FormatDeclaration,
  type FoundConversation,
  type Piece,
} from '../../contract/index.js'
import { idOf } from '../../conversation/index.js'
import { asList, describe, type JsonObject, objectsOf } from '../../json/index.js'
import { type Losses, type Placed, reasons, within } from '../../model/index.js'

/** Answers of MT-Bench with their questions, which are in another file of an archive, or before them in the same file. */
export const mtBench: Format<'mt-bench'> = defineFormat({
  id: 'mt-bench',
  title: 'MT-Bench answers',
  accepts:
    'lines { "question_id", "model_id", "choices": [{ "turns": ["…"] }] }, and { "question_id", "turns": ["…"] } for their questions',
  signature: { 'question_id choices[].turns[]': 0.95, 'question_id turns[]': 0.95 },
  join: answersOf,
  conversation: {
    externalId: ({ answer_id: id, at, index }) => id && (at === 0 ? id : `${id}/${idOf(index) ?? at}`),
    modelName: 'model_id',
    sourceTimestamp: 'tstamp',
    metadata: { question: ({ question_id: id }) => idOf(id), category: 'category' },
  },
  structure: 'category',
})

type Join = NonNullable<FormatDeclaration['join']>

function answersOf(...[pieces, , report]: Parameters<Join>): readonly FoundConversation[] {
  const questions = new Map<unknown, Piece>()
  const answers: Piece[] = []
  for (const piece of pieces) {
    if (mtBench.detect(piece.value) === 0)
      report(`expected ${mtBench.accepts}; found ${describe(piece.value)}`, piece.place)
    else if (Array.isArray(piece.value.choices)) answers.push(piece)
    else questions.set(piece.value.question_id, piece)
  }
  const [first] = questions.values()
  if (answers.length === 0 && first) report('expected answers; found questions only', first.place)
  return answers.flatMap(({ value: answer, place }) => {
    const asked = questions.get(answer.question_id)
    return objectsOf(answer.choices).map((choice, at) => ({
      value: { ...answer, at, index: choice.index, category: asked?.value.category },
      place,
      messages: (losses: Losses) => messagesOf(asked, { value: choice, place: within(place, 'choices', at) }, losses),
    }))
  })
}

function messagesOf(asked: Piece | undefined, { value: choice, place }: Piece, losses: Losses): Placed[] {
  const turns = asList(choice.turns)
  if (asked) losses.dropFields(asked.value, ['reference'])
  else losses.drop('prompt', reasons.notInFile, turns.length)
  const questions = asList(asked?.value.turns)
  const said = (role: string, content: unknown, piece: Piece, turn: number) => ({
    value: { role, content } satisfies JsonObject,
    place: within(piece.place, 'turns', turn),
  })
  return turns.flatMap((text, turn) => [
    ...(asked && questions[turn] !== undefined ? [said('user', questions[turn], asked, turn)] : []),
    said('assistant', text, { value: choice, place }, turn),
  ])
}
