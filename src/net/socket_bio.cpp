#include "socket_bio.hpp"

#include <boost/asio/error.hpp>

#include <cerrno>

namespace ome::net {
namespace {

// What OpenSSL wants to hear of a call: a count, 0 for the end, -1 with errno or with `retry` set.
int told(BIO* bio, const Moved& moved, int retry) {
    BIO_clear_retry_flags(bio);
    if (moved.blocked) {
        BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
        return -1;
    }
    if (moved.error == asio::error::eof) {
        errno = 0;
        BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
        return 0;
    }
    if (moved.error) {
        errno = moved.error.value();
        return -1;
    }
    return static_cast<int>(moved.bytes);
}

EventSocket& socket_of(BIO* bio) {
    return *static_cast<EventSocket*>(BIO_get_data(bio));
}

int read(BIO* bio, char* into, int size) {
    return told(bio, socket_of(bio).receive(into, static_cast<std::size_t>(size)), BIO_FLAGS_READ);
}

int write(BIO* bio, const char* bytes, int size) {
    const std::string_view all(bytes, static_cast<std::size_t>(size));
    return told(bio, socket_of(bio).send(all), BIO_FLAGS_WRITE);
}

long control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_EOF) {
        return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    }
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

int create(BIO* bio) {
    BIO_set_init(bio, 1);
    return 1;
}

struct FreeMethod {
    void operator()(BIO_METHOD* method) const { BIO_meth_free(method); }
};
using MethodPtr = std::unique_ptr<BIO_METHOD, FreeMethod>;

MethodPtr new_method() {
    MethodPtr method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "EventSocket"));
    if (method != nullptr) {
        BIO_meth_set_read(method.get(), read);
        BIO_meth_set_write(method.get(), write);
        BIO_meth_set_ctrl(method.get(), control);
        BIO_meth_set_create(method.get(), create);
    }
    return method;
}

}  // namespace

BioPtr bio_of(EventSocket& socket) {
    static const MethodPtr method = new_method();
    BioPtr bio(method == nullptr ? nullptr : BIO_new(method.get()));
    if (bio != nullptr) {
        BIO_set_data(bio.get(), &socket);
    }
    return bio;
}

}  // namespace ome::net
