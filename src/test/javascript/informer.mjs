// The informer of the official client, as its documentation shows it. Each event is told as a line of JSON on standard
// output, with what the cache holds then. It ends with its standard input, so that it never outlives the test.
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';

const [server, namespace] = process.argv.slice(2);

const config = new KubeConfig();
// Without skipTLSVerify the client speaks no plain HTTP.
config.loadFromClusterAndUser({ name: 'kubemirror', server, skipTLSVerify: true }, { name: 'anybody' });
const api = config.makeApiClient(CoreV1Api);

const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/pods`, () =>
    api.listNamespacedPod({ namespace }),
);

for (const type of ['add', 'update', 'delete']) {
    informer.on(type, ({ metadata: { name, resourceVersion: revision } }) => {
        const held = Object.fromEntries(
            informer.list(namespace).map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
        );
        console.log(JSON.stringify({ type, name, revision, held }));
    });
}
informer.on('error', (error) => {
    console.error(String(error));
    setTimeout(() => informer.start(), 200);
});
informer.start();

process.stdin.on('end', () => process.exit()).resume();
