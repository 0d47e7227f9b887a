package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.app.MirrorPromises;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.real.WithEtcd;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;

/** Tests {@link MirrorPromises} with a real etcd. */
@WithEtcd
class EtcdUpstreamTest extends MirrorPromises {

    @AutoClose private static RealEtcd etcd;

    @BeforeAll
    static void start() {
        etcd = RealEtcd.of(1);
    }

    /** etcd sends no initial events, and a configuration that demands them is rejected. */
    static List<Strategy> strategies() {
        return List.of(Strategy.AUTO, Strategy.LIST_WATCH, Strategy.LIST_WATCH_PARALLEL);
    }

    @Override
    protected RealEtcd server() {
        return etcd;
    }
}
