import { type FileRecord, type Format, placeIn, type Reader, type ReaderContext } from '../../contract/index.js'
import { ConversationBuilder, idOf } from '../../conversation/index.js'
import { asList, describe, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { type ConversationDraft, type Place, reasons, within } from '../../model/index.js'

/** Answers of MT-Bench with their questions, which are in another file of an archive, or before them in the same file. */
export const mtBench: Format<'mt-bench'> = {
  id: 'mt-bench',
  title: 'MT-Bench answers',
  accepts:
    'lines { "question_id", "model_id", "choices": [{ "turns": ["…"] }] }, and { "question_id", "turns": ["…"] } for their questions',
  fields: ['question_id', 'choices', 'turns', 'model_id'],
  structure: 'category',
  detect(value) {
    if (!isObject(value) || value.question_id === undefined) return 0
    return isTexts(objectsOf(value.choices)[0]?.turns) || isTexts(value.turns) ? 0.95 : 0
  },
  reader: (context) => new MtBenchReader(context),
}

const isTexts = (turns: unknown): boolean =>
  Array.isArray(turns) && turns.length > 0 && turns.every((turn) => typeof turn === 'string')

interface Asked {
  question: JsonObject
  place: Place
}

class MtBenchReader implements Reader {
  readonly isInterleaved = true
  readonly #context: ReaderContext
  readonly #questions = new Map<unknown, Asked>()
  readonly #answers: { answer: JsonObject; place: Place }[] = []

  constructor(context: ReaderContext) {
    this.#context = context
  }

  read(record: FileRecord): readonly ConversationDraft[] {
    const { value } = record
    const place = placeIn(record)
    if (!isObject(value) || mtBench.detect(value) === 0)
      this.#context.report(`expected ${mtBench.accepts}; found ${describe(value)}`, place)
    else if (Array.isArray(value.choices)) this.#answers.push({ answer: value, place })
    else this.#questions.set(value.question_id, { question: value, place })
    return []
  }

  *end(): Generator<ConversationDraft> {
    const [first] = this.#questions.values()
    if (this.#answers.length === 0 && first) this.#context.report('expected answers; found questions only', first.place)
    for (const { answer, place } of this.#answers) yield* this.#draftsOf(answer, place)
  }

  #draftsOf(answer: JsonObject, place: Place): ConversationDraft[] {
    const asked = this.#questions.get(answer.question_id)
    const questions = asList(asked?.question.turns)
    return objectsOf(answer.choices).map(({ turns, index }, at) => {
      const conversation = new ConversationBuilder(this.#context)
      if (!asked) conversation.losses.drop('prompt', reasons.notInFile, asList(turns).length)
      if (asked) conversation.losses.dropFields(asked.question, ['reference'])
      for (const [turn, text] of asList(turns).entries()) {
        const question = questions[turn]
        if (asked && question !== undefined)
          conversation.addMessage('user', question, { place: within(asked.place, 'turns', turn) })
        conversation.addMessage('assistant', text, { place: within(place, 'choices', at, 'turns', turn) })
      }
      const id = textOf(answer.answer_id)
      const metadata = {
        question: idOf(answer.question_id),
        ...(textOf(asked?.question.category) && { category: asked?.question.category }),
      }
      return conversation.build({
        externalId: id && (at === 0 ? id : `${id}/${idOf(index) ?? at}`),
        modelName: textOf(answer.model_id),
        sourceTimestamp: conversation.time(answer.tstamp),
        metadata,
        place,
      })
    })
  }
}
