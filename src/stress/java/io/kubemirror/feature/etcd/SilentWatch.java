package io.kubemirror.feature.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.feature.etcd.EtcdClient.EtcdSettings;
import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;

import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;

import okio.Buffer;
import okio.Okio;
import okio.Source;
import okio.Timeout;

import java.lang.reflect.Proxy;

/** The monitor ends a silent stream while it is read: the reader learns that it was silent. */
final class SilentWatch implements ConcurrentScenario {

    private final AtomicLong now = new AtomicLong();
    private final EtcdWatch watch;
    private volatile boolean canceled;
    private WatchFrame frame = new WatchFrame.Ended();

    SilentWatch() {
        EtcdSettings usual =
                EtcdFixtures.settings(MemoryBudget.unlimited(), 1 << 20, "http://127.0.0.1:1");
        EtcdSettings settings =
                new EtcdSettings(
                        usual.endpoints(),
                        usual.tls(),
                        usual.collections(),
                        usual.limits(),
                        now::get,
                        this::sleep);
        watch =
                new EtcdWatch(
                        new GrpcCall(
                                call(),
                                response(),
                                new GrpcCall.RequestStream(new ProtobufWriter(), true),
                                settings.limits()),
                        new EntryReader(EtcdFixtures.WIDGETS, EtcdFixtures.widgets(), 1 << 20),
                        EtcdFixtures.watch(EtcdFixtures.widgets(), 5),
                        settings);
    }

    private void sleep(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private Call call() {
        return (Call)
                Proxy.newProxyInstance(
                        Call.class.getClassLoader(),
                        new Class<?>[] {Call.class},
                        (_, method, _) -> {
                            if (method.getName().equals("cancel")) {
                                cancel();
                                return null;
                            }
                            return isCanceled();
                        });
    }

    private void cancel() {
        canceled = true;
    }

    private boolean isCanceled() {
        return canceled;
    }

    private Response response() {
        Source silence =
                new Source() {
                    @Override
                    public long read(Buffer sink, long byteCount) throws IOException {
                        while (!canceled) {
                            Thread.onSpinWait();
                        }
                        throw new IOException("canceled");
                    }

                    @Override
                    public Timeout timeout() {
                        return Timeout.NONE;
                    }

                    @Override
                    public void close() {}
                };
        return new Response.Builder()
                .request(new Request.Builder().url("http://127.0.0.1:1").build())
                .protocol(Protocol.HTTP_2)
                .code(200)
                .message("")
                .body(ResponseBody.create(Okio.buffer(silence), MediaType.get("text/plain"), -1))
                .build();
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(watch::monitor, () -> frame = watch.next());
    }

    @Override
    public void verify() {
        assertThat(frame)
                .isInstanceOfSatisfying(
                        WatchFrame.Broken.class,
                        end -> assertThat(end.kind()).isEqualTo(BrokenKind.SILENT));
    }
}
