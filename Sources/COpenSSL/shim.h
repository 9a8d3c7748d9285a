// OpenSSL, and the calls that it defines as macros, which Swift does not see.
#ifndef REFRAIN_COPENSSL_SHIM_H
#define REFRAIN_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

static inline int copenssl_ctx_set_min_proto_version(SSL_CTX *ctx, int version) {
    return (int)SSL_CTX_set_min_proto_version(ctx, version);
}

static inline int copenssl_ctx_set_max_proto_version(SSL_CTX *ctx, int version) {
    return (int)SSL_CTX_set_max_proto_version(ctx, version);
}

static inline int copenssl_ctx_set_groups(SSL_CTX *ctx, const char *list) {
    return (int)SSL_CTX_set1_groups_list(ctx, list);
}

static inline int copenssl_ctx_add_chain_certificate(SSL_CTX *ctx, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(ctx, certificate);
}

/// Partial writes from a buffer that may move; idle connections give their buffers back; one read per record.
static inline void copenssl_ctx_set_nonblocking_modes(SSL_CTX *ctx) {
    SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_read_ahead(ctx, 1);
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

/// Has a callback that refuses a read say that the caller is to come again.
static inline void copenssl_bio_would_block(BIO *bio) {
    BIO_clear_retry_flags(bio);
    BIO_set_retry_read(bio);
}

/// Sessions are handed to the new-session callback and kept by the application alone.
static inline void copenssl_ctx_keep_client_sessions(SSL_CTX *ctx) {
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}

/// Resumption by tickets alone: no sessions are kept in memory.
static inline void copenssl_ctx_disable_session_cache(SSL_CTX *ctx) {
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
}

/// Begins to seal a session ticket, or to open one, by AES-256-CBC with the first 32 bytes of the secret, and
/// HMAC-SHA-256 with the 32 after them. One when done.
static inline int copenssl_ticket_begin(EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, const unsigned char *secret,
                                        const unsigned char *iv, int seals) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, secret, iv, seals) == 1 &&
           EVP_MAC_init(mac, secret + 32, 32, parameters) == 1;
}

static inline int copenssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline size_t copenssl_store_count(SSL_CTX *ctx) {
    return (size_t)sk_X509_OBJECT_num(X509_STORE_get0_objects(SSL_CTX_get_cert_store(ctx)));
}

/// Loads the certificates and revocation lists of PEM text as X509_load_cert_crl_file(3) does those of a file. One if
/// there was any.
static inline int copenssl_store_load(SSL_CTX *ctx, const void *text, int size) {
    X509_STORE *store = SSL_CTX_get_cert_store(ctx);
    BIO *bio = BIO_new_mem_buf(text == NULL ? "" : text, size);
    STACK_OF(X509_INFO) *found = bio == NULL ? NULL : PEM_X509_INFO_read_bio(bio, NULL, NULL, (void *)"");
    BIO_free(bio);
    if (found == NULL) return 0;
    int count = 0;
    for (int index = 0; index < sk_X509_INFO_num(found); index++) {
        X509_INFO *info = sk_X509_INFO_value(found, index);
        if (info->x509 != NULL && X509_STORE_add_cert(store, info->x509) == 1) count++;
        if (info->crl != NULL && X509_STORE_add_crl(store, info->crl) == 1) count++;
    }
    sk_X509_INFO_pop_free(found, X509_INFO_free);
    if (count == 0) ERR_raise(ERR_LIB_X509, X509_R_NO_CERTIFICATE_OR_CRL_FOUND);
    return count > 0;
}

/// Whether one certificate has issued another: names, key identifiers, rights and signature. One where it has.
static inline int copenssl_issued(X509 *issuer, X509 *subject) {
    return X509_check_issued(issuer, subject) == X509_V_OK && X509_verify(subject, X509_get0_pubkey(issuer)) == 1;
}

/// Whether an authority of the store has issued a certificate.
static inline int copenssl_store_issues(SSL_CTX *ctx, X509 *certificate) {
    STACK_OF(X509_OBJECT) *objects = X509_STORE_get0_objects(SSL_CTX_get_cert_store(ctx));
    for (int index = 0; index < sk_X509_OBJECT_num(objects); index++) {
        X509 *authority = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(objects, index));
        if (authority != NULL && copenssl_issued(authority, certificate)) return 1;
    }
    return 0;
}

static inline EVP_PKEY *copenssl_generate_ec_key(void) {
    return EVP_EC_gen("P-256");
}

static inline EVP_PKEY *copenssl_generate_rsa_key(unsigned bits) {
    return EVP_RSA_gen(bits);
}

/// A whole SHA-256 without memory of its own: for a key, what the EVP calls allocate and set up takes as long as the
/// digest. One when done.
static inline int copenssl_sha256(const void *bytes, size_t count, unsigned char *digest) {
    SHA256_CTX context;
    return SHA256_Init(&context) && SHA256_Update(&context, bytes, count) && SHA256_Final(digest, &context);
}

#endif
