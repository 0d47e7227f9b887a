import {createInterface} from 'node:readline';
import {Readable} from 'node:stream';

const pods = (process.argv[2] ?? 'http://127.0.0.1:8001') + '/api/v1/namespaces/default/pods';
const start = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
for (let from = start; ; await new Promise(done => setTimeout(done, 1000))) {
  try {
    const {body} = await fetch(`${pods}?watch=1&allowWatchBookmarks=1&${from}`);
    for await (const line of createInterface({input: Readable.fromWeb(body)})) {
      const {type, object} = JSON.parse(line);
      // An error says that the revision is too old (410).
      from = type === 'ERROR' ? start : `resourceVersion=${object.metadata.resourceVersion}`;
      if (type !== 'BOOKMARK' && type !== 'ERROR') console.log(type, object.metadata.name);
    }
  } catch (error) {
    // Nothing is lost: the next watch continues where this one has ended.
  }
}
