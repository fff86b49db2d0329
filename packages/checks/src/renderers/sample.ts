import { count } from '@svc/text'
import { type LabelSample, sampleBlock } from '../labels/index.js'
import { type EmbeddedTurn, embedded, turnsBlock } from '../report/index.js'
import { type App, block, loadApp, page, scriptPolicy } from './page.js'

/** The transcripts of a sample as a page on which a person labels them. It shows no verdict. */
export const renderSample = async (sample: LabelSample): Promise<Iterable<string>> =>
  samplePage(sample, await loadApp())

function* samplePage(sample: LabelSample, app: App): Generator<string> {
  const title = `Label ${count(sample.cases.length, 'transcript')}`
  const policy = scriptPolicy(app)
  yield* page(app, { title, command: 'svc report sample', policy }, bodyOf(sample, title, app.script))
}

function* bodyOf({ id, cases }: LabelSample, title: string, script: string): Generator<string> {
  const shown = cases.map(({ case: { sha256 }, stratum }) => ({ sha256, stratum }))
  yield `<header class="top">
<h1>${title}</h1>
<p class="soft">Is each conversation good or bad? Press g, b or u, and save the labels at the end.</p>
<div id="tools"></div>
</header>
<main id="content">
<noscript><p class="plain">This page needs a script.</p></noscript>
</main>
${block(sampleBlock, embedded({ id, cases: shown }))}<script>${script}</script>\n`
  for (const [at, { case: each }] of cases.entries()) {
    const turns = (each.turns ?? []).map(({ role, content }): EmbeddedTurn => [role, content, null, null])
    yield block(turnsBlock(at), embedded(turns))
  }
}
