package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.app.EtcdProperties;
import io.kubemirror.app.MirrorProperties;
import io.kubemirror.app.ResourceProperties;
import io.kubemirror.feature.etcd.EtcdClient.EtcdSettings;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.source.Source;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Reads the configured resources that etcd holds from there. */
@Configuration(proxyBeanMethods = false)
class EtcdConfiguration {

    /** Processes try the members in different orders, so that they do not all choose the first. */
    @Bean
    @Order(0)
    @Nullable Source etcd(
            MirrorProperties properties,
            ClientSettings settings,
            SslBundles bundles,
            RandomGenerator random) {
        EtcdProperties etcd = properties.upstream().etcd();
        if (etcd == null) {
            return null;
        }
        List<StoredCollection> stored = stored(properties);
        MirrorProperties.refuse(
                stored.isEmpty(),
                "kubemirror.upstream.etcd",
                "is not used; set kubemirror.resources[].etcd for a resource, or remove it");
        List<String> endpoints = new ArrayList<>(etcd.endpoints());
        Collections.shuffle(endpoints, Random.from(random));
        return connect(
                etcd.sslBundle(),
                bundles,
                tls ->
                        new EtcdSettings(
                                endpoints, tls, stored, settings, System::nanoTime, Thread::sleep));
    }

    private static EtcdClient connect(
            @Nullable String bundle,
            SslBundles bundles,
            Function<@Nullable SslBundle, EtcdSettings> settings) {
        try {
            if (bundle == null) {
                return new EtcdClient(settings.apply(null));
            }
            EtcdClient client = new EtcdClient(settings.apply(bundles.getBundle(bundle)));
            bundles.addBundleUpdateHandler(bundle, client::renew);
            return client;
        } catch (RuntimeException _) {
            // Its message may contain a key.
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.upstream.etcd.ssl-bundle",
                    bundle,
                    "cannot be read; correct spring.ssl.bundle.pem." + bundle);
        }
    }

    private static List<StoredCollection> stored(MirrorProperties properties) {
        List<StoredCollection> stored = new ArrayList<>();
        for (ResourceProperties one : properties.resources()) {
            if (one.etcd() != null) {
                stored.add(new StoredCollection(one.type().orElseThrow(), one.etcd().prefix()));
            }
        }
        return stored;
    }
}
