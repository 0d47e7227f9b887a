// A controller on the official client: an informer, and writes of all kinds. KUBECONFIG leads to the API server, NAMESPACE is where
// it works.
import { CoreV1Api, CustomObjectsApi, KubeConfig, PatchStrategy, makeInformer, setHeaderOptions } from '@kubernetes/client-node';

const namespace = process.env.NAMESPACE;
const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const custom = config.makeApiClient(CustomObjectsApi);
const gadgets = { group: 'example.com', version: 'v1', namespace, plural: 'gadgets' };

const read = async (name) => (await core.readNamespacedConfigMap({ namespace, name })).data.state;
const task = (name) => ({ metadata: { name, labels: { app: 'task' } }, data: { state: 'new' } });

await core.createNamespacedConfigMap({ namespace, body: task('tried'), dryRun: 'All' });
console.log('after a dry run:', (await core.listNamespacedConfigMap({ namespace })).items.length);
for (const name of ['one', 'two']) {
    await core.createNamespacedConfigMap({ namespace, body: task(name) });
    console.log('created:', name, await read(name));
}

const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
    core.listNamespacedConfigMap({ namespace }),
);
const events = [];
let wake = () => {};
for (const type of ['add', 'update', 'delete']) {
    informer.on(type, ({ metadata: { name }, data }) => {
        events.push(`${type} ${name} ${data.state}`);
        wake();
    });
}
const told = async (event) => {
    while (!events.includes(event)) {
        await new Promise((resolve) => (wake = resolve));
    }
    console.log('informed:', event);
};
informer.on('error', (error) => {
    console.log(String(error));
    process.exit(1);
});
await informer.start();
for (const name of ['one', 'two']) {
    await told(`add ${name} new`);
    await core.patchNamespacedConfigMap(
        { namespace, name, body: { data: { state: 'done' } } },
        setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    console.log('patched:', name, await read(name));
    await told(`update ${name} done`);
}

const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'x' }, spec: { size: 1 } };
const created = await custom.createNamespacedCustomObject({ ...gadgets, body: gadget });
await custom.replaceNamespacedCustomObjectStatus({
    ...gadgets,
    name: 'x',
    body: { ...created, status: { ready: true } },
});
console.log('status:', (await custom.getNamespacedCustomObject({ ...gadgets, name: 'x' })).status);

for (const name of ['one', 'two']) {
    await core.deleteNamespacedConfigMap({ namespace, name });
    await told(`delete ${name} done`);
}
console.log('left:', (await core.listNamespacedConfigMap({ namespace })).items.length);
process.exit(0);
