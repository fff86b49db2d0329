import { refuseMalformed, wrongItems } from '../../errors/index.js'
import { cell, printJson, printRows } from '../../output/index.js'
import type { Work } from '../act.js'

export const listAnnotators: Work<[], object> = async (context) => {
  const annotators = await (await context.client()).annotators.list(context.call())
  if (context.flags.json) printJson(context, { schema: 'svc/annotators@1', annotators })
  else {
    refuseMalformed(wrongItems(annotators, '/annotators', { id: 'a text' }))
    printRows(
      context,
      ['ID', 'VERSION', 'TAXONOMY', 'DESCRIPTION'],
      annotators.map((each) => [each.id, each.annotator_version, each.taxonomy_version, each.description].map(cell)),
    )
  }
  return undefined
}
