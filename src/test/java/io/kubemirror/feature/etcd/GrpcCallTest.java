package io.kubemirror.feature.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.feature.etcd.GrpcCall.RequestStream;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;

import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;

import org.junit.jupiter.api.Test;

/** Tests that a call leaves nothing behind. */
class GrpcCallTest {

    @Test
    void connection_is_idle_when_a_stream_is_closed() throws IOException {
        ConnectionPool pool = new ConnectionPool();
        OkHttpClient http =
                new OkHttpClient.Builder()
                        .protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE))
                        .connectionPool(pool)
                        .build();
        try (ScriptedEtcd etcd = new ScriptedEtcd()) {
            etcd.stream(ScriptedEtcd.WATCH, EtcdFixtures.created(9));
            GrpcCall call = watch(http, etcd);
            Revision first = call.message(ProtobufMessage::header);
            assertThat(first).isEqualTo(new Revision("9"));
            assertThat(pool.idleConnectionCount()).isZero();

            call.close();

            assertThat(pool.idleConnectionCount()).isEqualTo(pool.connectionCount());
        }
    }

    private static GrpcCall watch(OkHttpClient http, ScriptedEtcd etcd) throws IOException {
        RequestStream messages = new RequestStream(new ProtobufWriter(), /* duplex= */ true);
        Call call =
                http.newCall(
                        new Request.Builder()
                                .url(etcd.url() + ScriptedEtcd.WATCH)
                                .header("te", "trailers")
                                .post(messages)
                                .build());
        ClientSettings limits =
                EtcdFixtures.settings(MemoryBudget.unlimited(), 1 << 20, etcd.url()).limits();
        return new GrpcCall(call, call.execute(), messages, limits);
    }
}
